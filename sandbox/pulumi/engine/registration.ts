import type resource from '@pulumi/pulumi/proto/resource_pb.js'
import { decodeProperties } from '../wire.ts'
import type { GraphResource, ResourceOptions } from './graph.ts'

/** Returns the URN that the engine gives a resource with this name and parent. */
export function urnOf(stack: string, project: string, parent: string, type: string, name: string): string {
  const parentType = parent.split('::')[2] ?? ''
  const qualified = parentType === '' || parentType === 'pulumi:pulumi:Stack' ? type : `${parentType}$${type}`
  return `urn:pulumi:${stack}::${project}::${qualified}::${name}`
}

/** Returns the URN in a reference to a provider, which is followed by two colons and the provider's id. */
export function providerUrn(reference: string): string {
  return reference.replace(/::[^:]*$/, '')
}

/** Reads a registration from the SDK. */
export function readResource(request: resource.RegisterResourceRequest, urn: string): GraphResource {
  const { value: inputs, secretPaths } = decodeProperties(request.getObject())
  const propertyDependencies: Record<string, readonly string[]> = {}
  request.getPropertydependenciesMap().forEach((dependencies, property) => {
    const urns = dependencies.getUrnsList().toSorted()
    if (urns.length > 0) propertyDependencies[property] = urns
  })
  return {
    urn,
    type: request.getType(),
    name: request.getName(),
    custom: request.getCustom(),
    parent: request.getParent(),
    provider: providerUrn(request.getProvider()),
    inputs,
    secretInputs: secretPaths,
    dependencies: request.getDependenciesList().toSorted(),
    propertyDependencies,
    options: readOptions(request),
  }
}

function readOptions(request: resource.RegisterResourceRequest): ResourceOptions {
  const timeouts = request.getCustomtimeouts()
  const aliases = request.getAliasesList().length
  const lists = {
    ignoreChanges: request.getIgnorechangesList(),
    replaceOnChanges: request.getReplaceonchangesList(),
    additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
    beforeCreate: request.getHooks()?.getBeforeCreateList() ?? [],
  }
  return {
    ...(request.getProtect() ? { protect: true } : {}),
    ...(request.getDeletebeforereplace() ? { deleteBeforeReplace: true } : {}),
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
    ...(aliases > 0 ? { aliases } : {}),
    ...(request.getImportid() === '' ? {} : { import: request.getImportid() }),
    ...(timeouts === undefined || timeouts.getCreate() === ''
      ? {}
      : {
          customTimeouts: {
            create: timeouts.getCreate(),
            update: timeouts.getUpdate(),
            delete: timeouts.getDelete(),
          },
        }),
  }
}
