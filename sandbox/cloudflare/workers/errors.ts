import { type Refusal, refuse } from '../errors.ts'

/** The refusal for a script that does not exist. */
// observed: A request for a script that does not exist gets 404 with code 10007. Assumed: so does one for its service, custom
// domain and route. [crowdsecurity/cs-cloudflare-worker-bouncer issue 44, 2024-09]
export const scriptMissing: Refusal = refuse(404, {
  code: 10007,
  message: 'This Worker does not exist on your account.',
})

/** Returns the refusal of a script that is invalid, with the reason. */
export const scriptInvalid = (reason: string): Refusal =>
  // documented: A script that lacks its entry module, or binds a database that does not exist, is refused with code 10021.
  // Assumed: status 400, this code for bindings and names too, and most messages.
  // [documentation of Workers, errors of uploads and validation]
  refuse(400, { code: 10021, message: reason })

/** The refusal of a body that cannot be parsed. */
// documented: A form or body that cannot be parsed is refused with code 10026. Assumed: status 400. [documentation of Workers,
// errors of uploads and validation]
export const bodyUnreadable: Refusal = refuse(400, {
  code: 10026,
  message: 'Could not parse request body.',
})

/** Returns the refusal of a rate limit whose fields are missing or out of range. */
export function rateLimitInvalid(name: string): Refusal {
  return scriptInvalid(
    `Rate limit binding '${name}' needs an integer namespace_id, a simple.limit, and a simple.period of 10 or 60.`,
  )
}

/** Returns the refusal of a binding type that the sandbox does not support. */
export function bindingUnsupported(name: string, type: string, supported: readonly string[]): Refusal {
  return scriptInvalid(
    `Binding '${name}' has type '${type}', which the sandbox does not support. Use one of ${supported.join(', ')}.`,
  )
}
