import { PolicyPack, type PolicyResource, type ResourceValidationArgs } from '@pulumi/policy'
import messages from '@pulumi/pulumi/proto/analyzer_pb.js'
import { Refusal } from '../program.ts'
import { readState } from '../stack-state.ts'
import { concerns, type Declared } from './rule.ts'
import { resourceRules, stackRules } from './rules.ts'
import { importsReplaceNothing, type Kept, replacingImports, stateRules } from './state-rules.ts'

const { AnalyzerStackConfigureRequest } = messages
const { deserializeBinary } = AnalyzerStackConfigureRequest
/** Which stack the pack judges, and whether it is a preview. The library drops both from the engine's call (1.21.0). */
let run: InstanceType<typeof AnalyzerStackConfigureRequest> | undefined
AnalyzerStackConfigureRequest.deserializeBinary = bytes => {
  run = deserializeBinary(bytes)
  return run
}

let read: Promise<readonly Kept[]> | undefined

/** Reads the state. A preview does not change it, and an up does at every step. */
function state(): Promise<readonly Kept[]> {
  if (run === undefined)
    throw new Refusal('The engine did not name the stack. Use the pinned version of the CLI.')
  if (read === undefined || !run.getDryRun()) {
    const stack = [run.getOrganization(), run.getProject(), run.getStack()].join('/')
    read = readState(stack).then(({ resources }) => resources)
  }
  return read
}

/** Reports what a rule finds in the state, or that it cannot be read. */
async function judgeState(
  check: (state: readonly Kept[]) => readonly string[],
  report: (message: string) => void,
): Promise<void> {
  try {
    for (const message of check(await state())) report(message)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    report(`Cannot see what this run would delete. ${error.message}`)
  }
}

/** The rules as a policy pack. Creating one serves it: the engine calls the process that loads this file. */
new PolicyPack('homeport', {
  enforcementLevel: 'mandatory',
  policies: [
    ...resourceRules.map(rule => ({
      name: rule.name,
      description: rule.description,
      validateResource(args: ResourceValidationArgs, report: (message: string) => void) {
        if (!concerns(rule, args.type)) return
        for (const message of rule.check(declared(args))) report(`${args.name} ${message}`)
      },
    })),
    ...stackRules.map(rule => ({
      name: rule.name,
      description: rule.description,
      validateStack(
        { resources }: { readonly resources: readonly PolicyResource[] },
        report: (message: string, urn?: string) => void,
      ) {
        const urns = new Map(resources.map(resource => [declared(resource), resource.urn]))
        for (const { resource, message } of rule.check([...urns.keys()])) {
          report(`${resource.name} ${message}`, urns.get(resource))
        }
      },
    })),
    ...stateRules.map(rule => ({
      name: rule.name,
      description: rule.description,
      async validateResource(args: ResourceValidationArgs, report: (message: string) => void) {
        if (!rule.types.includes(args.type)) return
        await judgeState(
          known => rule.check(declared(args), known).map(message => `${args.name} ${message}`),
          report,
        )
      },
    })),
    {
      ...importsReplaceNothing,
      async validateStack(
        { resources }: { readonly resources: readonly PolicyResource[] },
        report: (message: string) => void,
      ) {
        // In an up, the deletions have been made by now.
        if (run?.getDryRun())
          await judgeState(known => replacingImports(resources.map(declared), known), report)
      },
    },
  ],
})

function declared({ type, name, props, opts, provider }: PolicyResource | ResourceValidationArgs): Declared {
  return {
    type,
    name,
    props,
    options: {
      protect: opts.protect,
      ignoreChanges: opts.ignoreChanges,
      deleteBeforeReplace: opts.deleteBeforeReplace === true,
      additionalSecretOutputs: opts.additionalSecretOutputs,
    },
    // The engine calls default providers `default`, followed by the version that the program requested.
    provider: provider === undefined || provider.name.startsWith('default') ? null : provider.name,
  }
}
