/** By how much the time limits of the tests are longer than usual: 1, or more on a machine that does other work, too. */
const factor = Number(process.env['TEST_TIME_FACTOR'] ?? 1)
if (!(factor >= 1)) {
  throw new RangeError(
    `TEST_TIME_FACTOR is "${process.env['TEST_TIME_FACTOR']}". Use a number of at least 1.`,
  )
}

/** Returns the time after which something fails that a test does not measure, in milliseconds. */
export const timeLimit = (ms: number) => ms * factor
