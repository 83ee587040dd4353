/** How long Codex says that a limit still holds, which stands in its words alone. Pure. */

const UNITS: Readonly<Record<string, number>> = { s: 1, second: 1, m: 60, minute: 60, h: 3600, hour: 3600 }

/** "try again in 2 minutes", "in 1.5s". */
const wait = (message: string): number | undefined => {
  const [, amount, unit] =
    /try again in (?:about )?(\d+(?:\.\d+)?)\s*(seconds?|minutes?|hours?|s|m|h)\b/iu.exec(message) ?? []
  const seconds = UNITS[unit?.toLowerCase().replace(/s$/u, '') || 's']
  return amount === undefined || seconds === undefined
    ? undefined
    : Math.round(Number(amount) * seconds * 1000)
}

const CLOCK = /try again at (?:([A-Za-z]{3} \d{1,2})(?:st|nd|rd|th), (\d{4}) )?(\d{1,2}):(\d\d) ([AP])M/u

const DAY_MS = 86_400_000

/** "try again at 5:10 AM", "at Dec 3rd, 2026 5:10 AM": by the clock here, to the minute; without a day the next one. */
const clock = (message: string, now: number): number | undefined => {
  const [, day, year, hours, minutes, half] = CLOCK.exec(message) ?? []
  if (hours === undefined || minutes === undefined) return undefined
  const at = new Date(day === undefined ? now : Date.parse(`${day}, ${year}`))
  at.setHours((Number(hours) % 12) + (half === 'P' ? 12 : 0), Number(minutes), 0, 0)
  const left = at.getTime() - now
  if (Number.isNaN(left)) return undefined
  return day === undefined && left < 0 ? left + DAY_MS : Math.max(left, 0)
}

/** Milliseconds from `now` on. */
export const retryAfter = (message: string, now: number): number | undefined =>
  wait(message) ?? clock(message, now)
