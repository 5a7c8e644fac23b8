/** Returns the name of a stack's resources in places that it shares with other stacks, such as its token and its Worker. */
export function serviceNameOf(stack: string): string {
  return `homeport-${stack}`
}
