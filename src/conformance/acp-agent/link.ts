/** A running agent as the checks need it: bytes in, bytes out, and its end. */

export interface AgentLink extends AsyncDisposable {
  write(line: string): void
  endInput(): void
  /** Called at once with what has come, then with each chunk; `end` follows the last one. */
  read(chunk: (bytes: Uint8Array) => void): void
  /** Resolves when the process has ended and all that it wrote has been read. */
  readonly exited: Promise<void>
  stderr(): string
  /** The text without the values of secret variables. */
  mask(text: string): string
}

/** `env` is added to the agent's environment. */
export type StartAgent = () => Promise<AgentLink>
