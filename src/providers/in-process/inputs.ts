/** Validates tool arguments with Ajv, loaded at the first call of a tool. */
import { rememberingChecks } from '../../agent/tools/input-check.ts'
import type { CompileSchema } from '../../agent/tools/input-check.ts'

export const ajvInputs = (): CompileSchema =>
  rememberingChecks(async (schema) => {
    const { default: ajvModule } = await import('ajv/dist/2020.js')
    const validate = new ajvModule.Ajv2020({ strict: false, allErrors: false }).compile(schema)
    return (value) => {
      if (validate(value)) return undefined
      const [first] = validate.errors ?? []
      return `${first?.instancePath === '' ? 'the object' : first?.instancePath} ${first?.message ?? 'is wrong'}`
    }
  })
