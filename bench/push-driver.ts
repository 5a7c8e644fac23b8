/**
 * Sends pings to a Worker in this process, and prints the milliseconds of processor time of each. Arguments: the Worker's
 * file, the number of pings that do not count, that of those that do, and how many names take turns. Bindings are in BINDINGS
 * as JSON.
 */

const [file = '', ...counts] = process.argv.slice(2)
const [warmUpPings = 0, pings = 0, names = 1] = counts.map(Number)
const bindings = JSON.parse(process.env['BINDINGS'] ?? '{}')
const { default: worker } = await import(file)
// The log is a cost of the Worker. Printing it is one of this process.
console.log = () => {}

async function ping(index: number): Promise<void> {
  const work: Promise<unknown>[] = []
  const response: Response = await worker.fetch(
    new Request(`https://push.example/nic/update?hostname=host-${index % names}.example.com&myip=8.8.4.4`, {
      headers: { authorization: `Basic ${btoa(`homeport:${bindings.PASSWORD}`)}` },
    }),
    bindings,
    { waitUntil: (promise: Promise<unknown>) => void work.push(promise) },
  )
  const body = await response.text()
  await Promise.all(work)
  if (!body.startsWith('good') && !body.startsWith('nochg')) throw new Error(`a ping was answered ${body}`)
}

for (let index = 0; index < warmUpPings; index += 1) await ping(index)
const before = process.cpuUsage()
for (let index = warmUpPings; index < warmUpPings + pings; index += 1) await ping(index)
const { user, system } = process.cpuUsage(before)
process.stdout.write(String((user + system) / 1000 / pings))
process.exit(0)
