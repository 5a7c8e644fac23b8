import type { Sandbox } from '../sandbox/sandbox.ts'
import { FollowedRecord, type Round } from './followed-record.ts'
import type { PushEndpoint } from './push-endpoint.ts'

/** Public addresses, since the endpoint refuses those for documentation. Nothing is sent to them. */
const publicNetwork = '8.8.4'

/** A record that a router's pings update through the endpoint. A round is a ping. */
export class PushedRecord extends FollowedRecord {
  override address = `${publicNetwork}.10`
  override readonly reporter = 'The router has'
  override readonly publisher = 'the router sends a ping'
  readonly #sandbox: Sandbox
  readonly #endpoint: PushEndpoint

  constructor(sandbox: Sandbox, endpoint: PushEndpoint) {
    super(sandbox.description)
    this.#sandbox = sandbox
    this.#endpoint = endpoint
  }

  /** Gives the router an address: the last number of the one that is given, in a public network. */
  override async changeAddress(given: string): Promise<void> {
    this.address = `${publicNetwork}.${given.split('.').at(-1)}`
  }

  /** Sends a ping. Resolves to the answer, the requests that it led to, and what the name servers answer then. */
  async ping(address: string, password?: string) {
    const { control } = this.#sandbox
    const before = control.journal().length
    const answer = await this.#endpoint.ping(address, password)
    return { ...answer, requests: control.journal().slice(before), served: await this.ask() }
  }

  /** Sends a ping as the router would, then asks the name servers. */
  override async round(): Promise<Round> {
    const startedAt = new Date()
    const [before] = await this.ask()
    const { status, body, elapsedMs, requests, served } = await this.ping(this.address)
    const [word = ''] = body.split(' ')
    const outputs = {
      // The live page knows the words of the action.
      result: { good: 'updated', nochg: 'unchanged' }[word] ?? word,
      address: this.address,
      requests: String(requests.length),
      'previous-address': before?.address ?? '',
      ...(status !== 200 && { reason: word }),
    }
    return this.keep({ status: status === 200 ? 0 : 1, log: body, outputs, elapsedMs, startedAt, served })
  }
}
