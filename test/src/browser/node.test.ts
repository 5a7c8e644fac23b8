import { describe } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { declareFlows } from './flows.ts'

describe.skipIf(!hasBrowser)('pages on Node, in Chromium,', () => declareFlows('node'))
