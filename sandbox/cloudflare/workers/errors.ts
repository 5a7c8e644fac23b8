import { type Refusal, refuse } from '../errors.ts'

/** No script of that name. */
export const scriptMissing: Refusal = refuse(404, 'workers.script.missing', {
  code: 10007,
  message: 'This Worker does not exist on your account.',
})

/** A script that does not start, or asks for what there is not. @param reason what is wrong with it */
export const scriptInvalid = (reason: string): Refusal =>
  refuse(400, 'workers.script.invalid', { code: 10021, message: reason })

/** A body that is not what the operation takes. */
export const bodyUnreadable: Refusal = refuse(400, 'workers.body.unreadable', {
  code: 10026,
  message: 'Could not parse request body.',
})

/** A secret that the script does not have. */
export const secretMissing: Refusal = refuse(404, 'workers.secret.missing', {
  code: 10056,
  message: 'Binding not found.',
})

/** A binding of a type that the service has and this sandbox has not. */
export const bindingUnserved = (name: string, type: string, served: readonly string[]): Refusal => {
  const { cites, ...refusal } = scriptInvalid(
    `Binding '${name}' is of type '${type}', which this sandbox does not have. It has ${served.join(', ')}.`,
  )
  return { ...refusal, cites: [...cites, 'workers.script.binding-types'] }
}
