import { runPushCommand } from '../../push/command.ts'
import type { SandboxDescription } from '../../sandbox/sandbox.ts'

/** What a command printed, and its exit status. */
export interface Ran {
  readonly status: number | null
  readonly out: string
  readonly problems: readonly string[]
}

/** Runs a command of the endpoint in this process. */
export async function push(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const lines: string[] = []
  const problems: string[] = []
  const output = {
    line: (text: string) => void lines.push(text),
    problem: (text: string) => void problems.push(text),
  }
  const serve = async () => void lines.push('serving')
  const status = await runPushCommand([...args], { env, ...output, serve })
  return { status, out: lines.join('\n'), problems }
}

/** Returns settings of an endpoint for home.example.com at a sandbox. */
export function settingsFor({ cloudflare }: SandboxDescription) {
  return {
    API_TOKEN: cloudflare.dnsToken,
    ZONE_ID: cloudflare.zoneId,
    BASE_URL: cloudflare.baseUrl,
    HOSTS: `home.example.com A sha256:${'a'.repeat(64)}`,
  }
}
