import { printable } from '../../lib/quote.ts'
import { AccountDeployment, type Asking } from '../journeys/account-deployment.ts'
import { deploymentSteps } from '../journeys/deployment.ts'
import type { Step } from '../journeys/story.ts'
import { type Accounts, explainLeft, prefix, refuseProduction, removeLeft } from '../support/accounts.ts'
import { exchange, record } from '../support/recorder.ts'
import { askQuestion } from './probes.ts'
import { namesIn, type Print, writeRecording } from './recording.ts'

interface Terms {
  /** Path of the CLI. */
  readonly pulumi: string
  readonly print: Print
  /** Whether to do a step. */
  readonly confirm: (title: string) => Promise<boolean>
  /** Where to record. */
  readonly folder?: string | undefined
}

/** Tells the story of a deployment with accounts. Stops at the first difference. Returns the exit status. */
export async function rehearse(given: Accounts, { pulumi, print, confirm, folder }: Terms): Promise<number> {
  await refuseProduction(given, true)
  for (const what of await removeLeft(given)) print(`removed, since an earlier rehearsal left it: ${what}`)
  const { accounts, roots, said, close } = await record(given)
  const ask: Asking['ask'] = async (question, values) => (await askQuestion(question, values, exchange)).lines
  const names: Record<string, string> = namesIn(given)
  const story = await AccountDeployment.open(pulumi, accounts, { roots, ask, names })
  async function isTold({ title, needs, run }: Step<AccountDeployment>, index: number): Promise<boolean> {
    print(`${index + 1} of ${deploymentSteps.length}  ${title}`)
    if (needs) print(`   not asked: there are no ${needs}`)
    if (needs || !(await confirm(title))) return needs !== undefined
    const failed = ({ message }: Error) => [{ what: 'failed', good: false, detail: message }]
    const checks = await run(story).catch(failed)
    for (const { what, good, detail } of checks)
      print(`   ${good ? 'same   ' : 'differs'} ${what}: ${printable(detail)}`)
    return checks.every(({ good }) => good)
  }
  try {
    for (const [index, step] of deploymentSteps.entries()) {
      if (await isTold(step, index)) continue
      const created = ['record', 'token', 'application', 'hand-over'].map(kind => `the ${kind} of ${prefix}`)
      print(await explainLeft(given, created))
      return 1
    }
    await removeLeft(given)
    if (folder) await writeRecording(folder, { name: 'rehearsal', exchanges: said }, names)
    return 0
  } finally {
    await story.close()
    close()
  }
}
