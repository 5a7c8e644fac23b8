import { fileURLToPath } from 'node:url'
import { PolicyPack, type PolicyResource, type ResourceValidationArgs } from '@pulumi/policy'
import { AnalyzerService } from '@pulumi/pulumi/proto/analyzer_grpc_pb.js'
import { readWorkerBundle } from '../resources/worker-bundle.ts'
import { type Expected, expectedOf } from './expected.ts'
import type { Declared, Stack } from './rule.ts'
import { isStructure, judgeResource, judgeStack, resourceRules, stackRule } from './rules.ts'
import { settled } from './shape.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** What is before the name of a parent: a component that is below the stack, or the stack. */
const ownParent = /^urn:pulumi:[^:]+::[^:]+::(homeport:infra:\w+|pulumi:pulumi:Stack)::/
let stack: Stack | null = null
let expected: Expected | null = null

// The engine tells a pack the configuration, with its secrets, before it asks anything. The SDK drops it (read in 1.21.0).
const { configureStack } = AnalyzerService
const parse = configureStack.requestDeserialize
configureStack.requestDeserialize = bytes => {
  const request = parse(bytes)
  const project = request.getProject()
  const name = request.getStack()
  const config = new Map(request.getConfigMap().toArray())
  const readBundle: Stack['readBundle'] = worker => readWorkerBundle(root, worker)
  stack = { project, name, config, env: process.env, readBundle }
  return request
}

function requireExpected(): Expected {
  if (!stack) throw new Error('The engine gave no configuration. Use the CLI that docs/deploy.md names.')
  expected ??= expectedOf(stack)
  return expected
}

/** The rules as a policy pack. Creating one serves it: the engine calls the process that loads this file. */
new PolicyPack('homeport', {
  enforcementLevel: 'mandatory',
  policies: [
    ...Object.entries(resourceRules).map(([name, description]) => ({
      name,
      description,
      validateResource(args: ResourceValidationArgs, report: (message: string) => void) {
        // The program reports a wrong configuration by itself, before it declares anything else.
        if (isStructure(declared(args))) return
        for (const { rule, message } of judgeResource(declared(args), requireExpected()))
          if (rule === name) report(`${args.name} ${message}`)
      },
    })),
    {
      ...stackRule,
      validateStack(
        { resources }: { readonly resources: readonly PolicyResource[] },
        report: (message: string, urn?: string) => void,
      ) {
        const urns = new Map(resources.map(resource => [declared(resource), resource.urn]))
        for (const { resource, message } of judgeStack([...urns.keys()], requireExpected()))
          report(`${resource.name} ${message}`, urns.get(resource))
      },
    },
  ],
})

function declared(resource: PolicyResource | ResourceValidationArgs): Declared {
  const { type, name, props, opts, provider } = resource
  return {
    type,
    name,
    props: Object(settled(props)),
    options: {
      parent: opts.parent?.replace(ownParent, '') ?? '',
      provider: provider?.name ?? null,
      protect: opts.protect,
      ignoreChanges: opts.ignoreChanges,
      deleteBeforeReplace: opts.deleteBeforeReplace === true,
      additionalSecretOutputs: opts.additionalSecretOutputs,
    },
    from: 'propertyDependencies' in resource ? namesIn(resource.propertyDependencies) : null,
  }
}

const namesIn = (dependencies: PolicyResource['propertyDependencies']): readonly string[] => [
  ...new Set(Object.values(dependencies).flatMap(sources => sources.map(({ name }) => name))),
]
