import { describe } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { declareFlows } from './flows.ts'

describe.skipIf(!hasBrowser)('pages on workerd, in Chromium,', () => declareFlows('worker'))
