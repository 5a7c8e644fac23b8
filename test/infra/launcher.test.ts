import { expect, it } from 'vitest'
import { launchProgram } from './support/launcher.ts'
import { runStack, stackOptions } from './support/stacks.ts'

it('declares the same under the launcher of the CLI as in this process, and prints nothing', {
  timeout: 90_000,
}, async () => {
  const options = { config: { repository: 'acme/people' } }
  const { status, written, log, graph, outputs } = await launchProgram(stackOptions(options))
  expect({ status, written, log }).toEqual({ status: 0, written: '', log: [] })
  const inProcess = await runStack(options)
  const byName = <T extends { name: string }>(resources: readonly T[]) =>
    resources.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  expect(byName(graph.resources)).toEqual(byName(inProcess.graph.resources))
  expect(graph.invokes).toEqual(inProcess.graph.invokes)
  expect(outputs).toEqual(inProcess.outputs)
})
