import { PolicyPack, type PolicyResource, type ResourceValidationArgs } from '@pulumi/policy'
import { concerns, type Declared } from './rule.ts'
import { resourceRules, stackRules } from './rules.ts'

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
