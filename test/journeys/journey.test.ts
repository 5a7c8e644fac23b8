import { describe } from 'vitest'
import { declareJourney } from '../support/journey.ts'

describe('the journey of a deployment, with the embedded engine', () => declareJourney())
