import { reasonOf } from '../../http.ts'
import { pulumi } from '../../pulumi-cli.ts'
import type { TokenPlan } from '../../settings/stack-settings.ts'
import { connectCloudflare } from '../clients/cloudflare.ts'
import { rotateToken } from '../expiry.ts'
import type { Finding } from '../finding.ts'
import type { StackView } from '../stack.ts'

/**
 * Asks the service whether the value of the DNS token in the state still works. Needs the passphrase. After a token was
 * rolled, nothing else shows that once a run has refreshed the state.
 */
export async function tokenValueDifferences(
  { name, apiUrl }: StackView,
  token: TokenPlan,
  accountId: string | null,
): Promise<readonly Finding[]> {
  const args = ['stack', 'output', 'dnsToken', '--show-secrets', '--stack', name, '--non-interactive']
  const { status, output } = await pulumi(args, 'pipe')
  const value = output.trim()
  if (status !== 0 || value === '') {
    return [
      {
        level: 'error',
        text: 'Could not read the value of the DNS token.',
        fix: 'Check PULUMI_CONFIG_PASSPHRASE. Before the first run that ends well, there is no value: run pulumi up.',
      },
    ]
  }
  const read = connectCloudflare(apiUrl, value)
  const owner = token.owner === 'account' ? `/accounts/${accountId}` : '/user'
  const answer = await read(`${owner}/tokens/verify`)
  if (answer.status === 200) return []
  if (answer.status === 400 || answer.status === 401) {
    return [
      {
        level: 'error',
        text: `The value of the DNS token in the state is not valid any more: the service answered ${answer.status}.`,
        fix: `Somebody rolled it. Find out who. Then ${rotateToken()}.`,
      },
    ]
  }
  // The service refuses other addresses before it looks at the value.
  if (answer.status === 403 && token.allowedCidrs.length > 0) return []
  return [
    {
      level: 'error',
      text: `Could not check the value of the DNS token: ${reasonOf(answer)}.`,
      fix: 'Run npm run drift -- --preview again.',
    },
  ]
}
