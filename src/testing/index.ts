/** Entry `subgate/testing`: doubles for those who test providers, or code that delegates. */
export { acpHandshake, acpTurn, fakeAgentCommand } from './fake-agent.ts'
export type {
  AcpHandshake,
  FakeFact,
  FakeFailure,
  FakeId,
  FakeLogEntry,
  FakeStep,
  FakeText,
} from './fake-agent.ts'
export { lyingProvider } from './lying-provider.ts'
export { playing, scriptedProvider } from './scripted-provider.ts'
export type {
  FilterFlaw,
  Reportable,
  ScriptedProvider,
  ScriptedProviderOptions,
  ScriptStep,
} from './scripted-provider.ts'
