/** Each code has its own data, and no code is outside of the catalogue. */
import { expectTypeOf } from 'vitest'
import { ERROR_CATALOG } from '../../src/contract/error-catalog.ts'
import { SubagentError } from '../../src/contract/errors.ts'
import type { ErrorCode, ErrorDataByCode } from '../../src/contract/errors.ts'
import type { CapabilityId } from '../../src/contract/capabilities.ts'

expectTypeOf<keyof typeof ERROR_CATALOG>().toEqualTypeOf<ErrorCode>()

expectTypeOf<ErrorDataByCode['UNSUPPORTED_CAPABILITY']['missing']>().toEqualTypeOf<readonly CapabilityId[]>()
expectTypeOf<ErrorDataByCode['DEPTH_EXCEEDED']>().toEqualTypeOf<{
  readonly attempted: number
  readonly max: number
}>()
expectTypeOf<SubagentError<'DEPTH_EXCEEDED'>['data']>().toEqualTypeOf<ErrorDataByCode['DEPTH_EXCEEDED']>()

const deep = new SubagentError('DEPTH_EXCEEDED', 'depth', 'Too deep.', { attempted: 2, max: 1 })
expectTypeOf(deep.code).toEqualTypeOf<'DEPTH_EXCEEDED'>()

// @ts-expect-error the data of another code
void new SubagentError('DEPTH_EXCEEDED', 'depth', 'Too deep.', { provider: 'p' })
// @ts-expect-error no such code
void new SubagentError('SOMETHING', 'depth', 'Something.', {})
// @ts-expect-error no such phase
void new SubagentError('CLOSED', 'later', 'Closed.', {})
