import { describe } from 'vitest'
import { findDebianProgram } from '../../tools/debian.ts'
import { hasBrowser } from '../support/browser.ts'
import { declareHostJourney } from '../support/journey.ts'

const hasProxy = (await findDebianProgram('caddy')) !== undefined
const lacking = hasProxy ? '' : ' (Caddy is not installed: run npx node tools/debian.ts caddy)'

describe.skipIf(!(hasBrowser && hasProxy))(`the journey of a host${lacking}`, () => declareHostJourney())
