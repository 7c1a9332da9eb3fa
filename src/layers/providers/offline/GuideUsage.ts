/** A repeatable estimate of tokens: four characters each. Pure. */
import type { Message } from "../../../domain/conversation/Message.ts"
import type { Tokens } from "../../../domain/model/Usage.ts"
import type { ModelRequest } from "../../../services/model/ModelClient.ts"

const charactersPerToken = 4
/** Images have a price of their own; their bytes say little about it. */
const charactersPerImage = 4800

const sizeOfMessage = ({ content }: Message): number => {
  let size = 0
  for (const block of content) {
    if (block.type === "text") size += block.text.length
    else if (block.type === "thinking") size += block.thinking.length
    else if (block.type === "image") size += charactersPerImage
    else size += block.name.length + JSON.stringify(block.arguments).length
  }
  return size
}

/** The conversation only: the system prompt names the folder, and the same run must count the same everywhere. */
export const estimate = (request: ModelRequest, outputCharacters: number): Tokens => {
  let input = 0
  for (const message of request.messages) input += sizeOfMessage(message)
  return {
    input: Math.ceil(input / charactersPerToken),
    output: Math.ceil(outputCharacters / charactersPerToken),
    cacheRead: 0,
    cacheWrite: 0
  }
}
