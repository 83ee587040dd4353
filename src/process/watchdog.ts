/** A small shell beside the gateway that ends the gateway's children when the gateway dies unawares (C14). */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { within } from './ending.ts'
import { onLinux } from './process-table.ts'

/**
 * Blocks until its input ends. The word `bye` means an orderly end; without it, everything that carries the
 * gateway's id is killed, again until nothing is found. One `grep` reads all environments; where it can't look
 * past a NUL byte, as a trial on the shell's own environment shows beforehand, `tr` comes before it.
 */
const SCRIPT = `
trap '' INT TERM HUP
exec 2>/dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
read -r word
[ "$word" = bye ] && exit 0
if grep -qsF "SUBGATE_WATCHDOG=$SUBGATE_WATCHDOG" /proc/$$/environ; then
  found() { grep -lsF "SUBGATE_GATEWAY=$SUBGATE_WATCHDOG" /proc/[0-9]*/environ; }
else
  found() {
    for file in /proc/[0-9]*/environ; do
      tr '\\0' '\\n' < "$file" | grep -qxF "SUBGATE_GATEWAY=$SUBGATE_WATCHDOG" && echo "$file"
    done
  }
fi
round=0
while [ $round -lt 30 ]; do
  pids=
  for file in $(found); do
    pid=\${file#/proc/}
    pids="$pids \${pid%/environ}"
  done
  [ -z "$pids" ] && exit 0
  kill -KILL $pids
  round=$((round + 1))
  [ $round -gt 10 ] && sleep 1
done
`

/** Only Linux shows the environments of processes; elsewhere the next start's reaper is what remains. */
export class Watchdog {
  readonly #gatewayId: string
  readonly #inheritedMarker: string | undefined
  readonly #warn: (message: string) => void
  #shell: ChildProcess | undefined

  constructor(gatewayId: string, inheritedMarker: string | undefined, warn: (message: string) => void) {
    this.#gatewayId = gatewayId
    this.#inheritedMarker = inheritedMarker
    this.#warn = warn
  }

  get pid(): number | undefined {
    return this.#shell?.pid
  }

  start(): void {
    if (!onLinux || this.#shell !== undefined) return
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'subgate-watchdog'], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: {
        PATH: process.env['PATH'] ?? '/usr/bin:/bin',
        SUBGATE_WATCHDOG: this.#gatewayId,
        // Within another gateway's tree it ends with that tree.
        ...(this.#inheritedMarker === undefined ? {} : { SUBGATE_RUN: this.#inheritedMarker }),
      },
    })
    shell.on('error', (error) => {
      this.#warn(
        `No watchdog: /bin/sh can't be started (${error.message}). If the gateway is killed, its agents are ended at its next start.`,
      )
    })
    shell.stdin?.on('error', () => undefined)
    // The gateway may end while the watchdog waits; the pipe's end is what tells it.
    shell.unref()
    unref(shell.stdin)
    this.#shell = shell
  }

  /** An orderly end: the watchdog leaves and signals nobody. */
  async goodbye(): Promise<void> {
    const shell = this.#shell
    if (shell?.pid === undefined || shell.exitCode !== null || shell.signalCode !== null) return
    const { promise, resolve } = Promise.withResolvers<void>()
    shell.once('exit', () => resolve())
    shell.ref()
    shell.stdin?.end('bye\n')
    await within(promise, 1000)
    shell.unref()
  }
}

/** A pipe of a child is a socket, which its declared type leaves out. */
const unref = (stream: unknown): void => {
  ;(stream as { unref?: () => void } | null)?.unref?.()
}
