import { createHash } from 'node:crypto'
import type { DeclaredRecord } from './resources/record-arguments.ts'

/** Names of a stack's resources: in the program, where policies and drift look them up, and at Cloudflare. */

/** Types of resources, as the engine spells them. */
export const types = {
  record: 'cloudflare:index/dnsRecord:DnsRecord',
  accountToken: 'cloudflare:index/accountToken:AccountToken',
  userToken: 'cloudflare:index/apiToken:ApiToken',
  database: 'cloudflare:index/d1Database:D1Database',
  script: 'cloudflare:index/workersScript:WorkersScript',
  domain: 'cloudflare:index/workersCustomDomain:WorkersCustomDomain',
  trigger: 'cloudflare:index/workersCronTrigger:WorkersCronTrigger',
  application: 'azuread:index/application:Application',
  principal: 'azuread:index/servicePrincipal:ServicePrincipal',
  password: 'azuread:index/applicationPassword:ApplicationPassword',
  certificate: 'azuread:index/applicationCertificate:ApplicationCertificate',
  environmentSecret: 'github:index/actionsEnvironmentSecret:ActionsEnvironmentSecret',
  environmentVariable: 'github:index/actionsEnvironmentVariable:ActionsEnvironmentVariable',
} as const

export const tokenTypes: readonly string[] = [types.accountToken, types.userToken]

/**
 * Returns the name of a stack's resources in places that it shares with other stacks: its token, and its Worker and
 * database when they are created.
 */
export function serviceNameOf(stack: string): string {
  return `homeport-${stack}`
}

/** Returns the name of the endpoint's Worker and of its token. */
export function pushNameOf(stack: string): string {
  return `${serviceNameOf(stack)}-push`
}

/** Returns the name of the clock's Worker. */
export function clockNameOf(stack: string): string {
  return `${serviceNameOf(stack)}-clock`
}

/** Returns the logical names of the resources of a component with a Worker or a token. */
export const logicalNames = (component: string) => ({
  token: `${component}-token`,
  script: `${component}-worker`,
  domain: `${component}-domain`,
  trigger: `${component}-trigger`,
})

/** Logical names of the push endpoint's component and of its resources. Other parts have resources of the same types. */
export const pushComponent = 'push'
export const pushNames = logicalNames(pushComponent)

/** Logical names of the clock's component and of its resources. */
export const clockComponent = 'clock'
export const clockNames = logicalNames(clockComponent)

/**
 * Returns the logical name in a URN, `urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME`, where only the name can contain a colon twice. It
 * is empty if the text is not a URN.
 */
export function nameInUrn(urn: string): string {
  return urn.split('::').slice(3).join('::')
}

/** The value of `tokenRotation` before any rotation. Any other adds to the token's logical name. */
export const firstTokenRotation = 'first'

/**
 * Returns the logical name of a token. After a rotation it is another resource, since the engine deletes the old one at the end of
 * a run, so that a workflow in progress can finish. Not replacementTrigger: a refresh with the program takes the new one over, and
 * nothing is replaced (seen with 3.259.0).
 */
export function tokenNameOf(name: string, rotation: string = firstTokenRotation): string {
  if (rotation === firstTokenRotation) return name
  return `${name}-${createHash('sha256').update(rotation).digest('hex').slice(0, 8)}`
}

/** Whether a logical name is this one, or that of a token that was rotated. */
export const isNamed = (name: string, wanted: string): boolean =>
  name === wanted || (wanted.endsWith('-token') && name.startsWith(`${wanted}-`))

/** Whether a resource belongs to the push endpoint, by its logical name. */
export const isOfPush = (name: string): boolean => name.startsWith(`${pushComponent}-`)

/** Whether a resource belongs to the clock. */
export const isOfClock = (name: string): boolean => name.startsWith(`${clockComponent}-`)

/**
 * Returns the logical name of a record. The first has the name of an only record, so that adding others renames nothing.
 * @param component name of the component that declares it
 */
export function recordNameOf(component: string, { name, type }: DeclaredRecord, index: number): string {
  return index === 0 ? `${component}-record` : `${component}-record-${name}-${type.toLowerCase()}`
}

/** Returns the logical name of a certificate: its own, so that one which moves between two keys stays as it is. */
export const certificateName = (der: Uint8Array): string =>
  `sign-in-certificate-${createHash('sha256').update(der).digest('hex').slice(0, 8)}`

/** Returns the logical name of a client secret. */
export const clientSecretName = (slot: 'a' | 'b'): string => `sign-in-secret-${slot}`
