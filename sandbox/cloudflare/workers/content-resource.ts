import { createHash } from 'node:crypto'
import type { HttpAnswer } from '../../http/delivery.ts'
import type { Outcome } from '../envelope.ts'
import type { Call } from '../route.ts'
import type { Script } from './script.ts'

const quoted = (text: string): string => text.replace(/["\r\n]/g, encodeURIComponent)

/** Returns the module as a form. */
function multipart({ mainModule, code, etag }: Script): HttpAnswer {
  const boundary = createHash('sha256').update(etag).digest('hex').slice(0, 40)
  const name = quoted(mainModule)
  return {
    status: 200,
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'cf-entrypoint': name,
    },
    body: [
      `--${boundary}`,
      `Content-Disposition: form-data; name="${name}"; filename="${name}"`,
      'Content-Type: application/javascript+module',
      '',
      code,
      `--${boundary}--\r\n`,
    ].join('\r\n'),
  }
}

/** Handles GET …/content/v2. */
export function getContent(_call: Call, script: Script): Outcome {
  // observed: Modules are returned as a form, the main module first and named by cf-entrypoint. [what terraform-provider-
  // cloudflare 5.19 and wrangler 4 read, by their source of 2026]
  return { kind: 'plain', answer: multipart(script) }
}
