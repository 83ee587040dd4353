/** Network file systems, on which processes of several machines can't share a write-ahead log. */
import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Magic numbers of statfs. */
const NETWORK: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0x517b: 'SMB',
  0xfe534d42: 'SMB',
  0xff534d42: 'SMB',
  0x5346414f: 'AFS',
  0x73757245: 'Coda',
  0x0bd00bd0: 'Lustre',
  0x00c36400: 'Ceph',
}

const FUSE = 0x65735546

/** FUSE carries local file systems too; these are known to be none. */
const NETWORK_FUSE: ReadonlySet<string> = new Set([
  'fuse.sshfs',
  'fuse.rclone',
  'fuse.s3fs',
  'fuse.gcsfuse',
  'fuse.glusterfs',
  'fuse.ceph',
  'fuse.davfs',
])

/** The type of the mount that a path is on; the last line of the longest mount point counts. */
export const mountType = (mountinfo: string, path: string): string | undefined => {
  let best = { point: '', type: undefined as string | undefined }
  for (const line of mountinfo.split('\n')) {
    const [left = '', right = ''] = line.split(' - ')
    const point = left.split(' ')[4]?.replaceAll('\\040', ' ')
    if (point === undefined || point.length < best.point.length) continue
    if (path === point || path.startsWith(point === '/' ? '/' : `${point}/`))
      best = { point, type: right.split(' ')[0] }
  }
  return best.type
}

/** What the network file system is called; undefined when it is none. */
export const networkName = (magic: number, mount: () => string | undefined): string | undefined => {
  // The kernel's number may come with a sign.
  const unsigned = magic >>> 0
  if (unsigned !== FUSE) return NETWORK[unsigned]
  const type = mount()
  return type !== undefined && NETWORK_FUSE.has(type) ? type.slice('fuse.'.length) : undefined
}

/** The folder itself, or what it would be made in. */
const existing = (folder: string): string => {
  const above = dirname(folder)
  return existsSync(folder) || above === folder ? folder : existing(above)
}

export const networkOf = (folder: string): string | undefined => {
  try {
    const place = existing(resolve(folder))
    return networkName(statfsSync(place).type, () =>
      mountType(readFileSync('/proc/self/mountinfo', 'utf8'), place),
    )
  } catch {
    // Where the system doesn't tell, SQLite itself will find out.
    return undefined
  }
}
