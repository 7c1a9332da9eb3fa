/** Effect's logger reads process.stdout when it is loaded, and the first access adds 10 to 30 ms to every start. */
export const quietLogger: Bun.BunPlugin = {
  name: "quiet-logger",
  setup: ({ onLoad }) =>
    void onLoad({ filter: /[\\/]effect[\\/].*[\\/]internal[\\/]logger\.js$/ }, async ({ path }) => ({
      contents: (await Bun.file(path).text()).replaceAll("process.stdout", "undefined"),
      loader: "js"
    }))
}
