import { describe, inject } from 'vitest'
import { declareJourney } from '../support/journey.ts'

describe('the journey of a deployment', () => declareJourney(() => inject('pulumi')))
