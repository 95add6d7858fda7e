"""Trees to text: the same ``Nodes`` written as HTML, Markdown or plain text."""
