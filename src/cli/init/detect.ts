/** Which editors are here: their programs on PATH, and the folders that they keep. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { EditorHost, Machine, Place } from './hosts.ts'

const isThere = ({ signs }: Place): boolean => signs.some((folder) => existsSync(folder))

export const isInstalled = (host: EditorHost, machine: Machine): boolean =>
  host.places(machine).some(isThere) ||
  (machine.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .some((folder) => host.programs.some((program) => existsSync(join(folder, program))))

/** Those that are used here; the usual one where none is yet. */
export const placesHere = (host: EditorHost, machine: Machine): readonly Place[] => {
  const places = host.places(machine)
  const here = places.filter(isThere)
  return here.length > 0 ? here : places.slice(0, 1)
}
