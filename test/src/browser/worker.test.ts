import { describe } from 'vitest'
import { declareFlows } from './flows.ts'

describe('pages on workerd, in Chromium,', () => declareFlows('worker'))
