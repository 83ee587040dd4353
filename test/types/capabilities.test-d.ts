/** The catalogue is exhaustive: a row that is missing or unknown doesn't compile. */
import { expectTypeOf } from 'vitest'
import type { CATALOG } from '../../src/capabilities/catalog.ts'
import type { PROOFS } from '../../src/conformance/index.ts'
import type { CueName } from '../../src/conformance/index.ts'
import type { CapabilityId, SubagentCapabilities, Support } from '../../src/contract/capabilities.ts'
import type { ProviderSession, SubagentProvider } from '../../src/contract/provider.ts'
import type { SubagentStartRequest } from '../../src/contract/request.ts'

expectTypeOf<keyof typeof CATALOG>().toEqualTypeOf<CapabilityId>()
expectTypeOf<keyof typeof PROOFS>().toEqualTypeOf<CapabilityId>()
expectTypeOf<keyof SubagentCapabilities>().toEqualTypeOf<CapabilityId>()
expectTypeOf<Support>().toEqualTypeOf<'none' | 'emulated' | 'native'>()
expectTypeOf<CapabilityId>().toExtend<CueName>()

// Composition belongs to presets: no request has these fields (B1.6).
expectTypeOf<SubagentStartRequest>().not.toHaveProperty('persona')
expectTypeOf<SubagentStartRequest>().not.toHaveProperty('toolFilter')

// @ts-expect-error a provider says something of every row
const partial: SubagentCapabilities = { model: 'native' }
// @ts-expect-error yes and no are not enough
const yes: SubagentCapabilities['model'] = true
void [partial, yes]

// An agent that can be steered has the verb; the others don't.
expectTypeOf<ProviderSession>().toHaveProperty('steer').toBeNullable()
expectTypeOf<SubagentProvider['negotiated']>().toEqualTypeOf<readonly CapabilityId[]>()
