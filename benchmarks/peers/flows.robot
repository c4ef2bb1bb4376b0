*** Comments ***
What one would write with Robot Framework Browser; SITE, BROWSER, FLOW, TIMES, FIELDS and ROWS are variables.

*** Settings ***
Library         Browser    run_on_failure=${None}
Library         Collections
Suite Setup     New Browser    chromium    executablePath=${BROWSER}

*** Test Cases ***
Flow
    @{took}=    Create List
    FOR    ${n}    IN RANGE    ${TIMES}
        ${began}=    Evaluate    time.perf_counter()
        New Context
        Run Keyword    ${FLOW}
        Close Context
        ${ended}=    Evaluate    time.perf_counter()
        Append To List    ${took}    ${{ ($ended - $began) * 1000 }}
    END
    Log To Console    \nTOOK ${{ json.dumps($took) }}

*** Keywords ***
Visit
    New Page    ${SITE}/
    Get Title

Form
    New Page    ${SITE}/fields
    FOR    ${label}    ${value}    IN    &{FIELDS}
        ${field}=    Get Element By    Label    ${label}    exact=True
        Fill Text    ${field}    ${value}
    END
    Click    button
    ${sent}=    Get Text    id=sent
    Should Be Equal    ${sent}    ${{ " ".join($FIELDS.values()) }}

Table
    New Page    ${SITE}/table
    ${rows}=    Evaluate JavaScript    tbody tr
    ...    rows => rows.map(row => ({number: row.cells[0].innerText, amount: row.cells[1].innerText}))
    ...    all_elements=True
    Should Be Equal    ${rows}    ${ROWS}
