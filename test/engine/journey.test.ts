import { describe, inject } from 'vitest'
import { hasBrowser } from '../support/browser.ts'
import { declareJourney } from '../support/journey.ts'

describe.skipIf(!hasBrowser)('the journey of a deployment', () => declareJourney(() => inject('pulumi')))
