export declare function getExecOutput(...parameters: unknown[]): Promise<never>
