import type { FullReading } from '../../../lib/reading.ts'
import { refuse } from '../../../lib/settings/readers.ts'
import { maxSecretBytes, readHosts } from '../../../push/hosts.ts'
import { readWorkflow, readWorkflowToken } from '../../../push/workflow.ts'
import type { Earlier } from './earlier.ts'
import { recordTitles, titleOf } from './records.ts'

/** Checks the workflow that the clock starts, and keeps its text. */
export function readClock(text: string): FullReading<string> {
  const reading = readWorkflow(text)
  return 'problems' in reading ? reading : { value: text }
}

/** Checks the clock's token. */
export function readClockToken(text: string, { clock }: Earlier): FullReading<null> {
  if (clock === null)
    return text === ''
      ? { value: null }
      : refuse(
          'is set, but clock is not. Set the workflow that it starts: pulumi config set --plaintext clock …',
        )
  const reading = readWorkflowToken(text)
  return 'problems' in reading ? reading : { value: null }
}

/** Checks the endpoint's lines. They may only name records that the stack declares. */
export function readPushHosts(text: string, earlier: Earlier): FullReading<null> {
  const hosts = readHosts(text)
  if ('problem' in hosts) return refuse(hosts.problem)
  const titles = recordTitles(earlier)
  const problems = hosts.value
    .flatMap(({ name, types }) => types.map(type => titleOf({ name, type })))
    .filter(title => !titles.includes(title))
    .map(
      title =>
        `has ${title}, but the stack declares ${titles.join(', ')}. The endpoint only keeps records of its stack: add it to hostname and recordType, or remove it here.`,
    )
  const bytes = Buffer.byteLength(text)
  if (bytes > maxSecretBytes)
    problems.push(
      `has ${bytes} bytes, and a secret can have ${maxSecretBytes}. Use a second stack for some names.`,
    )
  return problems.length > 0 ? { problems } : { value: null }
}
