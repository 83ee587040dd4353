/**
 * What each start needs of `node:crypto`, without loading it: that takes 7 ms, a tenth of a start's own time. In the
 * executable alone, for our own files; every other function comes from `node:crypto` itself, when it is called.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'

const own = (): typeof import('node:crypto') => process.getBuiltinModule('node:crypto')

type Encoding = 'hex' | 'base64' | 'base64url'

const bytesOf = (data: string | Uint8Array): Uint8Array =>
  typeof data === 'string' ? Buffer.from(data) : data

const POOL_BYTES = 512
const UUID_BYTES = 16
let pool = Buffer.alloc(0)

/** The system's own generator, as a file; where there is none, by `node:crypto`. */
const filled = (): typeof pool => {
  const fresh = Buffer.allocUnsafeSlow(POOL_BYTES)
  try {
    const device = openSync('/dev/urandom', 'r')
    try {
      if (readSync(device, fresh) === POOL_BYTES) return fresh
    } finally {
      closeSync(device)
    }
  } catch {
    // No such device here.
  }
  own().randomFillSync(fresh)
  return fresh
}

/** RFC 9562 §5.4: version 4, variant 10. */
export const randomUUID = (): string => {
  if (pool.length < UUID_BYTES) pool = filled()
  const bytes = pool.subarray(0, UUID_BYTES)
  pool = pool.subarray(UUID_BYTES)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/u, '$1-$2-$3-$4-')
}

export const hash = (algorithm: string, data: string | Uint8Array, encoding: Encoding = 'hex'): string =>
  algorithm === 'sha256'
    ? Buffer.from(sha256(bytesOf(data))).toString(encoding)
    : own().hash(algorithm, data, encoding)

interface Mac {
  update(data: string | Uint8Array): Mac
  digest(encoding: Encoding): string
}

export const createHmac = (algorithm: string, key: string | Uint8Array): Mac => {
  if (algorithm !== 'sha256') return own().createHmac(algorithm, key)
  const running = hmac.create(sha256, bytesOf(key))
  const mac: Mac = {
    update: (data) => {
      running.update(bytesOf(data))
      return mac
    },
    digest: (encoding) => Buffer.from(running.digest()).toString(encoding),
  }
  return mac
}
