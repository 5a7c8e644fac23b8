import { describe } from 'vitest'
import { declareFlows } from './flows.ts'

describe('pages on Node, in Chromium,', () => declareFlows('node'))
