/** A theme without colours: what an extension styles reaches the host as plain text. */

const plain = (text: unknown): string => String(text)
const styled = (_colour: unknown, text: unknown): string => String(text)

export const theme = {
  name: "plain",
  fg: styled,
  bg: styled,
  bold: plain,
  dim: plain,
  italic: plain,
  underline: plain,
  inverse: plain,
  strikethrough: plain,
  getFgAnsi: () => "",
  getBgAnsi: () => "",
  getColorMode: () => "256color",
  getThinkingBorderColor: () => plain,
  getBashModeBorderColor: () => plain
} as const
