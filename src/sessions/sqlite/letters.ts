/** Letters between sessions: rows until the receiver's log says that they were read. */
import type { SessionId } from '../../contract/ids.ts'
import type { Letter, LetterBody, LetterId, NewLetter } from '../../contract/letters.ts'
import { LetterTaken } from '../letter-taken.ts'
import type { Mailbox } from '../store.ts'
import type { Connection } from './connection.ts'
import { soon } from './core.ts'
import type { Core } from './core.ts'

interface LetterRow {
  readonly id: LetterId
  readonly recipient: SessionId
  readonly sender: SessionId | null
  readonly at: number
  readonly body: string
}

const letterOf = ({ id, recipient, sender, at, body }: LetterRow): Letter => ({
  ...(JSON.parse(body) as LetterBody),
  id,
  to: recipient,
  ...(sender !== null && { from: sender }),
  at,
})

/** In the transaction that is open. */
export const insertLetter = (connection: Connection, { to, from, at, ...body }: NewLetter): void => {
  connection.run(
    'insert into letters (recipient, sender, at, body) values (?, ?, ?, ?)',
    to,
    from ?? null,
    at,
    JSON.stringify(body),
  )
}

/** In the transaction of the event that delivers it. */
export const takeLetter = (connection: Connection, to: SessionId, letter: LetterId): void => {
  const { changes } = connection.run('delete from letters where id = ? and recipient = ?', letter, to)
  if (changes === 0) throw new LetterTaken(letter)
}

export const hasLetter = (connection: Connection, to: SessionId, letter: LetterId): boolean =>
  connection.one('select 1 from letters where id = ? and recipient = ?', letter, to) !== undefined

const WAITING_BELOW = `
  with recursive below (id) as (
    select id from sessions where parent_id = ?
    union select sessions.id from below join sessions on sessions.parent_id = below.id
  )
  select distinct recipient as id from letters
  where recipient in below and json_extract(body, '$.kind') = 'message' order by letters.id`

export const mailbox = (core: Core): Mailbox => ({
  letters: (to) => {
    const { connection, held } = core
    const rows = connection.read(() =>
      connection.all<LetterRow>('select * from letters where recipient = ? order by id', to),
    )
    const delivering = held.get(to)?.delivering
    return rows.filter(({ id }) => delivering?.has(id) !== true).map(letterOf)
  },
  waitingBelow: (id) => {
    const { connection } = core
    // Mostly there is no letter at all.
    return connection.read(() =>
      connection.one('select 1 from letters limit 1') === undefined
        ? []
        : connection.all<{ id: SessionId }>(WAITING_BELOW, id).map((row) => row.id),
    )
  },
  post: (letter) => {
    const refused = soon(
      core,
      () => insertLetter(core.connection, letter),
      (fault) => {
        if (fault === undefined) core.feed.noteLetter(letter.to)
      },
    )
    if (refused !== undefined) throw refused
  },
  onLetter: (to, listener) => core.feed.onLetter(to, listener),
})
