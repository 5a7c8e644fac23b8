/**
 * Returns the name of a stack's resources in places that it shares with other stacks: its token, and its Worker and
 * database when they are created.
 */
export function serviceNameOf(stack: string): string {
  return `homeport-${stack}`
}

/**
 * The inputs that a resource keeps as they were when it was created, although `pulumi stack rename` changes them. Elsewhere
 * a new name is another resource.
 */
export const keptNames = { database: ['name'], script: ['scriptName'] } as const
