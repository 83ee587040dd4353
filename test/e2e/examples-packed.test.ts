/** The examples as they come with the package: they import what the package gives, and run in a project of their own. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { ensureBuilt } from './built.ts'
import { Rig } from './cli-rig.ts'

const ROOT = join(import.meta.dirname, '../..')

beforeAll(() => ensureBuilt())

/** A project that has the built package installed, and copies of the example. */
const project = (rig: Rig): void => {
  const installed = join(rig.work, 'node_modules/subgate')
  mkdirSync(installed, { recursive: true })
  copyFileSync(join(ROOT, 'package.json'), join(installed, 'package.json'))
  symlinkSync(join(ROOT, 'dist'), join(installed, 'dist'))
  for (const file of globSync(join(ROOT, 'examples/provider/*.ts')))
    copyFileSync(file, join(rig.work, basename(file)))
}

test('no example reaches into the sources, which are not in the package', () => {
  const files = globSync('examples/**/*.ts', { cwd: ROOT })
  expect(files).toContain('examples/provider/finder.ts')
  const reaching = files.filter((file) =>
    /from '(?:\.\.\/)+(?:src|test)\//u.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  expect(reaching).toEqual([])
})

test('the finder is a provider of the project that it was copied to', async () => {
  await using rig = new Rig()
  project(rig)
  rig.configure({ providers: { finder: { module: join(rig.work, 'finder.ts') } } })
  mkdirSync(join(rig.work, 'notes'))
  rig.write('notes/a.txt', 'honey one\nno match\nhoney two\n')
  const { code, stdout } = await rig.run(['run', 'finder', 'honey', '-C', join(rig.work, 'notes')])
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'honey one\nhoney two\n' })
})

test('its fixture is verified by the suite of the package', async () => {
  await using rig = new Rig()
  project(rig)
  const script = rig.write(
    'verify.ts',
    `import { verify } from 'subgate/conformance'
import { fixture } from './finder-fixture.ts'
const asked = ['result/text-is-the-output', 'capability/additionalDirectories/honoured', 'capability/sandbox/refused']
console.log(JSON.stringify(await Promise.all(asked.map((id) => verify(id, fixture)))))
`,
  )
  const { stdout, stderr, status } = spawnSync(process.execPath, [script], {
    cwd: rig.work,
    env: rig.env,
    encoding: 'utf8',
  })
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout: '["passed","passed","refused"]\n',
    stderr: '',
  })
})
