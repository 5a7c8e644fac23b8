import type { Service } from './emulated-service.ts'
import type { RequestHead } from './exchange.ts'

/** Returns the host that a request is for, in lower case and without a port. */
export function hostOf({ headers }: Pick<RequestHead, 'headers'>): string {
  return (headers['host'] ?? '').toLowerCase().replace(/:\d+$/, '')
}

/** Whether a host, with or without a port, is this machine. Others could come from a web page by DNS rebinding. */
export const isLoopback = (host: string): boolean => /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host)

/** Returns the instance for the host of a request. */
export function instanceByHost(hosts: Readonly<Record<string, number>>, head: RequestHead): number | null {
  const host = hostOf(head)
  return Object.hasOwn(hosts, host) ? (hosts[host] ?? null) : null
}

/** One instance of a service. */
export interface ServiceInstance {
  readonly service: Service
  readonly instance: number
}

/** Returns the service that answers a request to a shared port. The first service gets unclaimed requests. */
export function chooseInstance(services: readonly Service[], head: RequestHead): ServiceInstance {
  for (const service of services) {
    const instance = service.claim?.(head) ?? null
    if (instance !== null) return { service, instance }
  }
  return { service: services[0] as Service, instance: 0 }
}
