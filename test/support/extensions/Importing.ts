/** Imports by a name that only this process knows. Bun must load this file itself, or vite looks for the name on disk. */
export const importing = (specifier: string): Promise<object> => import(specifier)
export const requiring = (specifier: string): object => require(specifier)
