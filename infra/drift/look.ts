import type { StackSettings } from '../settings/stack-settings.ts'
import type { StackView } from '../stack-view.ts'
import { type Difference, Unread } from './difference.ts'
import { cloudflareReader, gitHubReader, graphReader, type Reader } from './reader.ts'

/** What a comparison looks at: the stack, and the services. */
export interface Look extends StackView {
  readonly settings: StackSettings
  readonly now: number
  readonly cloudflare: Reader
  /** Null without a sign-in. */
  readonly graph: Reader | null
  /** Reads the environment that the token is handed over to; null if there is none. */
  readonly gitHub: Reader | null
}

/** @throws CommandError if a base URL is not safe */
export function lookAt(stack: StackView, settings: StackSettings, env: NodeJS.ProcessEnv, now: number): Look {
  const { signIn, record } = settings
  return {
    ...stack,
    settings,
    now,
    cloudflare: cloudflareReader(stack.apiUrl, env['CLOUDFLARE_API_TOKEN']),
    graph: signIn && graphReader(signIn, env),
    gitHub: record?.handOver ? gitHubReader(env, 'GITHUB_TOKEN') : null,
  }
}

/** Looks for one kind of difference. @throws Unread */
export type Check = (look: Look) => readonly Difference[] | Promise<readonly Difference[]>

/** Resolves to what every check found, in their order. What one could not read does not hide the others. */
export async function findAll(checks: readonly (() => ReturnType<Check>)[]): Promise<readonly Difference[]> {
  const found = checks.map(async check => {
    try {
      return await check()
    } catch (error) {
      if (error instanceof Unread) return [error.difference]
      throw error
    }
  })
  // Reports something once that two checks could not read.
  return [...new Map((await Promise.all(found)).flat().map(one => [one.text, one])).values()]
}
