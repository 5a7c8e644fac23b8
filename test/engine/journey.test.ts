import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Deployment, deploymentSteps } from '../journeys/deployment.ts'
import { HostDeployment } from '../journeys/host-deployment.ts'
import { WorkerDeployment } from '../journeys/worker-deployment.ts'
import { hasBrowser, lackingBrowser } from '../support/browser.ts'
import { findDebianProgram } from '../support/debian-program.ts'
import { timeLimit } from '../support/time-limit.ts'

const hasProxy = (await findDebianProgram('caddy')) !== undefined
const lacking = hasProxy ? '' : ' (Caddy is not installed: apt-get install caddy)'

/** The longest step runs the engine twice, which takes seconds on an idle machine. */
const stepTimeoutMs = timeLimit(240_000)

describe.skipIf(!hasBrowser)(`the journey of a Worker${lackingBrowser}`, () =>
  declareStory(() => WorkerDeployment.start(inject('pulumi'))),
)
describe.skipIf(!(hasBrowser && hasProxy))(`the journey of a host${lackingBrowser}${lacking}`, () =>
  declareStory(() => HostDeployment.start(inject('pulumi'))),
)

/** Declares a test for each step of the story. */
function declareStory(start: () => Promise<Deployment>): void {
  let story: Deployment
  let failed = false
  beforeAll(async () => {
    story = await start()
  }, stepTimeoutMs)
  afterAll(() => story?.close())

  it.each(deploymentSteps)('$title', { timeout: stepTimeoutMs }, async ({ run }) => {
    expect(failed, 'An earlier step failed.').toBe(false)
    failed = true
    const checks = await run(story)
    expect(checks.filter(({ good }) => !good)).toEqual([])
    // Without pages, a step has nothing to say.
    expect(checks.filter(({ what }) => what === 'no pages')).toEqual([])
    failed = false
  })
}
