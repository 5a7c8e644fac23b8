import type { StackState } from '../../../infra/exported-state.ts'
import { types } from '../../../infra/resource-names.ts'

/** The state before the first run. */
export const noState: StackState = { resources: [], pending: [] }

/** A secret value as the state has it. */
export const encrypted = {
  '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
  ciphertext: 'v1:hidden:hidden',
}

/** A resource of a state, as `pulumi stack export` prints it. */
export interface Exported {
  readonly type: string
  readonly name: string
  readonly id?: string
  readonly inputs?: object
  readonly outputs?: object
  readonly [field: string]: unknown
}

const resource = ({ name, ...rest }: Exported) => ({
  urn: `urn:pulumi:dev::homeport::${rest.type}::${name}`,
  custom: rest.id !== undefined,
  ...rest,
})

/** Returns what `pulumi stack export` prints of these resources. */
export function exported(resources: readonly Exported[], more: object = {}): string {
  const deployment = { manifest: {}, resources: resources.map(resource), ...more }
  return JSON.stringify({ version: 3, deployment })
}

/** A resource that a run was creating. */
export const creating = (one: Exported) => ({ type: 'creating', resource: resource(one) })

/** Ids of what a stack has, by the names that drift uses. */
export type Ids = Readonly<
  Partial<Record<'recordId' | 'dnsTokenId' | 'databaseId' | 'clientId' | 'tenantId', string>>
>

/** Returns the resources of a state with these ids, and with what they declare. */
export function resourcesWith(
  { recordId, dnsTokenId, databaseId, clientId, tenantId }: Ids,
  declared: { readonly record?: object; readonly token?: object; readonly accountId?: string } = {},
): readonly Exported[] {
  const { record = {}, token = {}, accountId } = declared
  const all: readonly Exported[] = [
    { type: 'pulumi:pulumi:Stack', name: 'homeport-dev', outputs: { tenantId } },
    { type: types.record, name: 'dns-record', id: recordId ?? '', inputs: record, protect: true },
    {
      type: types.userToken,
      name: 'dns-token',
      id: dnsTokenId ?? '',
      inputs: token,
      outputs: { value: encrypted },
    },
    { type: types.database, name: 'handler-database', id: databaseId ?? '', inputs: { accountId } },
    { type: types.application, name: 'sign-in-registration', id: clientId ?? '', outputs: { clientId } },
  ]
  return all.filter(({ id }) => id !== '')
}
