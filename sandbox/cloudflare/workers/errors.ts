import { type Refusal, refuse } from '../errors.ts'

/** The refusal for a script that does not exist. */
export const scriptMissing: Refusal = refuse(404, 'workers.script.missing', {
  code: 10007,
  message: 'This Worker does not exist on your account.',
})

/** Returns the refusal of a script that is invalid or does not start, with the reason. */
export const scriptInvalid = (reason: string): Refusal =>
  refuse(400, 'workers.script.invalid', { code: 10021, message: reason })

/** The refusal of a body that cannot be parsed. */
export const bodyUnreadable: Refusal = refuse(400, 'workers.body.unreadable', {
  code: 10026,
  message: 'Could not parse request body.',
})

/** The refusal for a secret that does not exist. */
export const secretMissing: Refusal = refuse(404, 'workers.secret.missing', {
  code: 10056,
  message: 'Binding not found.',
})

/** The refusal for a version that does not exist. */
export const versionMissing: Refusal = refuse(404, 'workers.version.missing', {
  code: 10007,
  message: 'This version does not exist on this Worker.',
})

/** Returns the refusal of a rate limit whose fields are missing or out of range. */
export function rateLimitInvalid(name: string): Refusal {
  const { cites, ...refusal } = scriptInvalid(
    `Rate limit binding '${name}' needs an integer namespace_id, a simple.limit, and a simple.period of 10 or 60.`,
  )
  return { ...refusal, cites: [...cites, 'workers.binding.ratelimit'] }
}

/** Returns the refusal of a binding type that the sandbox does not support. */
export function bindingUnsupported(name: string, type: string, supported: readonly string[]): Refusal {
  const { cites, ...refusal } = scriptInvalid(
    `Binding '${name}' has type '${type}', which the sandbox does not support. Use one of ${supported.join(', ')}.`,
  )
  return { ...refusal, cites: [...cites, 'workers.script.binding-types'] }
}
