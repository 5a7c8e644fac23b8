import { readFileSync } from 'node:fs'
import { verify } from './documented.mjs'

for (const token of JSON.parse(readFileSync(process.argv[2], 'utf8')).tokens) {
  const verdict = await verify(token).then(
    () => 'accept',
    () => 'refuse',
  )
  process.stdout.write(`${verdict}\n`)
}
