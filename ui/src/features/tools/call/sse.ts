/** Server-sent events, as far as MCP uses them: the data of each event, whatever pieces it comes in. */
export class EventReader {
  #rest = ''
  #data: string[] = []

  /** Takes a piece of the stream and gives the data of the events that it ends. */
  push(piece: string): string[] {
    const events: string[] = []
    const text = this.#rest + piece
    // A carriage return at the end may be the first half of a line break.
    const lines = text.split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        if (this.#data.length > 0) events.push(this.#data.join('\n'))
        this.#data = []
      } else if (line.startsWith('data:')) {
        this.#data.push(line.slice(line[5] === ' ' ? 6 : 5))
      }
    }
    return events
  }
}
