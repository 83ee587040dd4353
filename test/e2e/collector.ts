/** An OTLP collector on loopback: it keeps the spans that it is sent, whoever sends them. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CollectedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: Readonly<Record<string, string | number | undefined>>
  readonly status: number
  readonly service: string
}

interface Value {
  readonly stringValue?: string
  readonly intValue?: number
}

interface Attribute {
  readonly key: string
  readonly value: Value
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string
        readonly traceId: string
        readonly spanId: string
        readonly parentSpanId?: string
        readonly attributes: readonly Attribute[]
        readonly status: { readonly code: number }
      }[]
    }[]
  }[]
}

const recordOf = (attributes: readonly Attribute[]): CollectedSpan['attributes'] =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))

const spansOf = ({ resourceSpans }: Sent): readonly CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes, status, ...span }) => ({
        ...span,
        attributes: recordOf(attributes),
        status: status.code,
        service: String(recordOf(resource.attributes)['service.name']),
      })),
    ),
  )

export class Collector implements AsyncDisposable {
  readonly spans: CollectedSpan[] = []
  readonly bodies: string[] = []
  readonly headers: IncomingHttpHeaders[] = []
  readonly paths: (string | undefined)[] = []
  readonly #server = createServer((request, response) => void this.#take(request, response))
  readonly #answers: boolean

  private constructor(answers: boolean) {
    this.#answers = answers
  }

  /** One that doesn't answer takes what it is sent, and says nothing. */
  static async listen({ answers = true }: { answers?: boolean } = {}): Promise<Collector> {
    const collector = new Collector(answers)
    collector.#server.listen(0, '127.0.0.1')
    await once(collector.#server, 'listening')
    return collector
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The one span whose attribute has this value. */
  only(name: string, value: string | number | undefined): CollectedSpan {
    const [span, ...others] = this.spans.filter(({ attributes }) => attributes[name] === value)
    if (span === undefined || others.length > 0)
      throw new Error(`not one with ${name}=${value}: ${this.bodies.join('\n')}`)
    return span
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk)
    this.bodies.push(body)
    this.headers.push(request.headers)
    this.paths.push(request.url)
    this.spans.push(...spansOf(JSON.parse(body) as Sent))
    if (this.#answers) response.setHeader('content-type', 'application/json').end('{}')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
