import type { RequestHead } from './exchange.ts'
import type { Service } from './service.ts'

const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])$/

/** Returns the host that a request is for, in lower case and without a port. */
export function hostOf({ headers }: RequestHead): string {
  return (headers['host'] ?? '').toLowerCase().replace(/:\d+$/, '')
}

/** Whether a request names this machine. Other names could come from a web page by DNS rebinding. */
export function isForLoopback(head: RequestHead): boolean {
  return loopbackHost.test(hostOf(head))
}

/** Returns the instance for the host of a request. */
export function instanceByHost(
  hosts: Readonly<Record<string, number>>,
  head: RequestHead,
): number | undefined {
  const host = hostOf(head)
  return Object.hasOwn(hosts, host) ? hosts[host] : undefined
}

/** One instance of a service. */
export interface Target {
  readonly service: Service
  readonly instance: number
}

/** Returns the service that answers a request to a shared port. The first service gets unclaimed requests. */
export function chooseTarget(services: readonly Service[], head: RequestHead): Target | undefined {
  for (const service of services) {
    const instance = service.claim?.(head)
    if (instance !== undefined) return { service, instance }
  }
  const [first] = services
  return first && { service: first, instance: 0 }
}
