export default async (): Promise<void> => {
  await Promise.resolve()
  throw new Error("rejected factory")
}
