/** Which variables turn telemetry on, and what they say. */
import { expect, test } from 'vitest'
import { telemetrySettings } from '../../../src/telemetry/settings.ts'

test('without an endpoint there is no telemetry', () => {
  expect(telemetrySettings({})).toBeUndefined()
  expect(telemetrySettings({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' })).toBeUndefined()
})

test('the general endpoint is a base, and the one for traces is taken as it is and wins', () => {
  const general = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318/' }
  expect(telemetrySettings(general)).toEqual({
    url: 'http://localhost:4318/v1/traces',
    content: false,
    timeoutSet: false,
  })
  const own = { ...general, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://other:1/x' }
  expect(telemetrySettings(own)?.url).toBe('http://other:1/x')
})

test.each([
  [undefined, false],
  ['false', false],
  ['1', false],
  ['true', true],
  ['True', true],
])('content captured with %s: %s', (value, content) => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h',
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: value,
  }
  expect(telemetrySettings(env)?.content).toBe(content)
})

test.each([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])(
  '%j turns it off again',
  (more) => {
    expect(telemetrySettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h', ...more })).toBeUndefined()
  },
)

test("an export's time is the environment's, where that says one", () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h', OTEL_EXPORTER_OTLP_TIMEOUT: '500' }
  expect(telemetrySettings(env)?.timeoutSet).toBe(true)
})
