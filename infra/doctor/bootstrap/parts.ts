import { Refusal } from '../../program.ts'
import { type Parts, pushPlaces, signInPlaces } from '../../settings/readers.ts'
import type { StackSettings } from '../../settings/stack-settings.ts'

/**
 * Returns which parts a stack has, or will have according to the environment until it exists.
 * @throws Refusal with status 2 if the environment has something else than the keys take
 */
export function partsIn(
  settings: StackSettings | null,
  {
    HOMEPORT_RECORD: record = 'true',
    HOMEPORT_SIGN_IN: place = 'worker',
    HOMEPORT_PUSH: endpoint = 'none',
  }: NodeJS.ProcessEnv,
): Parts {
  if (settings) {
    const { signIn } = settings
    return {
      record: settings.record !== null,
      signIn: signIn === null ? 'none' : signIn.worker === null ? 'host' : 'worker',
      push: settings.push === null ? 'none' : 'worker',
    }
  }
  const signIn = signInPlaces.find(word => word === place)
  if (signIn === undefined) {
    throw new Refusal('HOMEPORT_SIGN_IN must be worker, host or none, as the key signIn will be.', 2)
  }
  if (record !== 'true' && record !== 'false') {
    throw new Refusal('HOMEPORT_RECORD must be true or false, as the key record will be.', 2)
  }
  if (record === 'false' && signIn === 'none') {
    throw new Refusal('HOMEPORT_RECORD is false and HOMEPORT_SIGN_IN is none: nothing is left to set up.', 2)
  }
  const push = pushPlaces.find(word => word === endpoint)
  if (push === undefined || (push === 'worker' && record === 'false')) {
    throw new Refusal(
      'HOMEPORT_PUSH must be none, or worker if the stack has a record, as the key push will be.',
      2,
    )
  }
  return { record: record === 'true', signIn, push }
}
